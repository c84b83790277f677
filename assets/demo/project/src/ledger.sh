#!/bin/sh
# Prints a ledger file, one entry a line, and the total.
# usage: sh src/ledger.sh FILE

here=$(dirname "$0")
. "$here/parse.sh"

total=0
while read -r date cents what; do
	case $date in '' | '#'*) continue ;; esac
	printf '%-18s %8s  %s\n' "$(format_date "$date")" "$(format_amount "$cents")" "$what"
	total=$((total + cents))
done <"$1"
printf '%-18s %8s\n' total "$(format_amount "$total")"
