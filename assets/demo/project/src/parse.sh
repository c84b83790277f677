# Functions that turn one field of a ledger line into text for people.

# month_name 03 -> March
month_name() {
	case $1 in
	01) echo January ;; 02) echo February ;; 03) echo March ;;
	04) echo April ;; 05) echo May ;; 06) echo June ;;
	07) echo July ;; 08) echo August ;; 09) echo September ;;
	10) echo October ;; 11) echo November ;; 12) echo December ;;
	*) echo "not a month: $1" >&2; return 1 ;;
	esac
}

# format_date 2026-03-05 -> 5 March 2026
format_date() {
	year=${1%%-*}
	rest=${1#*-}
	month=${rest%%-*}
	day=$(printf '%s' "${rest#*-}" | tr -d 0)
	echo "$day $(month_name "$month") $year"
}

# format_amount 450 -> 4.50
format_amount() {
	case $1 in
	?) echo "0.0$1" ;;
	??) echo "0.$1" ;;
	*) echo "${1%??}.${1#"${1%??}"}" ;;
	esac
}
