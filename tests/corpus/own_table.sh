#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What -O2 does to the corpus, against corpus/expected/statistics.tsv: own_table.sh PYTHON PTXOPT [--ptxas PTXAS [--update]]
# ptxas sees some of the files; with --update it sees all, and the table is written anew.
set -e
python=$1 ptxopt=$2 ptxas=$4 update=$5
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
sample=--sample=150
[ -z "$update" ] || sample=
run="$python scripts/corpus.py run corpus/ptx --ptxopt $ptxopt --flags=-O2 --jobs=2 --memory=0 --results=$folder/results.sqlite"
table="$python scripts/corpus.py table --results=$folder/results.sqlite --root=corpus"
$run --check=none
[ -z "$ptxas" ] || $run --check=ptxas --ptxas "$ptxas" $sample
if [ -n "$update" ]; then
  $table --output=corpus/expected/statistics.tsv
else
  $table --against=corpus/expected/statistics.tsv
fi
