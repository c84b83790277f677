#!/bin/sh
# Runs every case file in tests/. A case is one line: INPUT|EXPECTED. Exit status 1 when a case failed.

here=$(dirname "$0")
. "$here/../src/parse.sh"

passed=0
failed=0

# run FUNCTION CASEFILE
run() {
	line=0
	while IFS='|' read -r input want; do
		line=$((line + 1))
		got=$("$1" "$input" 2>&1)
		if [ "$got" = "$want" ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAIL tests/$2:$line: $1 $input: want \"$want\", got \"$got\""
		fi
	done <"$here/$2"
}

run format_date dates.txt
run format_amount amounts.txt

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
