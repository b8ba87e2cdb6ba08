#!/bin/sh
# Makes the results of arithmetic.md with a model of your own.
#
#     sh run.sh MODEL ENDPOINT ITEMS OUT [OPTION...]
#
# Ten single calls show if the model can follow the presets: a readable \boxed{} in nine of them. If not, all presets get
# the wording for small models: one request without reasoning, answered with a JSON object that the server enforces.
# PRESETS chooses the presets; the baselines belong to the first of them.
set -eu
model=$1 endpoint=$2 items=$3 out=$4
shift 4
: "${PRESETS:=society-of-minds reconcile mixture}"
: "${COLLOQUIUM:=colloquium}"
mkdir -p "$out"
# sums of two one-digit numbers, no pair twice among the first 81
awk -v items="$items" 'BEGIN {
  for (n = 0; n < items; n++) {
    x = 1 + n * 5 % 9; y = 1 + (n * 7 + int(n / 9)) % 9
    printf "{\"id\":\"%d+%d\",\"question\":\"What is %d + %d?\",\"answer\":%d}\n", x, y, x, y, x + y
  }
}' > "$out/sums.jsonl"
head -10 "$out/sums.jsonl" > "$out/ten.jsonl"

# runs a preset over a file of items: NAME PRESET ITEMS [OPTION...]
batch() {
  name=$1 preset=$2 file=$3
  shift 3
  "$COLLOQUIUM" batch "$preset" --items "$file" --out "$out/$name" --seed 1 --model "endpoint:$model" \
    --endpoint "$endpoint" "$@"
}

batch boxes single "$out/ten.jsonl" "$@" || test $? = 1
boxes=$(grep -c '"unread":false' "$out/boxes/results.jsonl" || true)
asked=$(wc -l < "$out/ten.jsonl")
echo "boxes: $boxes of $asked" | tee "$out/wording.txt"
small=no
[ $((boxes * 10)) -ge $((asked * 9)) ] || small=yes
echo "wording for small models: $small" | tee -a "$out/wording.txt"

ask='Write the sum and its result in "why", as in x + y = z, and the result in "answer".'
first="{{ question }} $ask"
sure="$ask Write in \"confidence\" how sure you are, from 0 to 100."
solutions='{% for other in others %}One solution: {{ other.text }} {% endfor %}'
groups='{% for group in answers.groups[:2] %}{{ group.count }} think that the answer is {{ group.answer }}. {% endfor %}'
baselines=--baselines
for preset in $PRESETS; do
  more=$baselines baselines=
  if [ $small = yes ]; then
    case $preset in
    reconcile) next="$groups{{ question }} $sure" own="{{ question }} $sure" ;;
    mixture) next=$first own=$first ;;
    *) next="$solutions Use these solutions as advice. $first" own=$first ;;
    esac
    batch "$preset" "$preset" "$out/sums.jsonl" ${more:+"$more"} --set answer.object=true \
      --set 'participant.*.temperature=0.2' --set 'participant.*.max_tokens=60' \
      --set "prompt.first='$own'" --set "prompt.next='$next'" "$@" || test $? = 1
  else
    batch "$preset" "$preset" "$out/sums.jsonl" ${more:+"$more"} "$@" || test $? = 1
  fi
done
set --
for preset in $PRESETS; do set -- "$@" "$out/$preset"; done
"$COLLOQUIUM" batch merge "$@" -o "$out/all.jsonl"
"$COLLOQUIUM" batch report "$out/all.jsonl" | tee "$out/report.txt"
