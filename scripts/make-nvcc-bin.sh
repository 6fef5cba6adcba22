#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes a folder whose nvcc is the one at hand, but assembles through ptxopt-ptxas: nvcc takes ptxas
# from its own folder.  Everything in it is a link, but nvcc.profile, which must name the toolkit by
# its full path, and ptxas, which calls ptxopt-ptxas.
set -eu

self=$(basename "$0")
usage() {
  cat >&2 <<EOF
usage: $self FOLDER [NVCC [PTXOPT-PTXAS]]
  FOLDER        is made; put it on PATH or call FOLDER/nvcc
  NVCC          default: the one on PATH
  PTXOPT-PTXAS  default: the one beside this script, else on PATH, else in build/release/bin
EOF
  exit 2
}
die() { echo "$self: $*" >&2; exit 1; }

case $#:${1-} in [123]:[!-]*) ;; *) usage ;; esac
folder=$1
nvcc=${2:-$(command -v nvcc || true)}
here=$(dirname "$0")
wrapper=${3-}
[ -n "$wrapper" ] || for wrapper in "$here/ptxopt-ptxas" "$(command -v ptxopt-ptxas || true)" \
                                    "$here/../build/release/bin/ptxopt-ptxas"; do
  [ ! -x "$wrapper" ] || break
done

[ -x "$nvcc" ] || die 'no nvcc; name it as the second argument'
[ -x "$wrapper" ] || die 'no ptxopt-ptxas; name it as the third argument'
wrapper=$(readlink -f "$wrapper")
# What is on PATH is often a script that calls the real nvcc, so ask nvcc itself where it lives.
bin=$("$nvcc" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=//p' | head -n 1)
[ -n "$bin" ] || die "$nvcc --dryrun does not say where it lives: is it nvcc?"
bin=$(readlink -f "$bin")
for file in nvcc.profile ptxas; do
  [ -e "$bin/$file" ] || die "$nvcc lives in $bin, which holds no $file"
done
mkdir -p "$folder"
[ "$(readlink -f "$folder")" != "$bin" ] || die "$folder is nvcc's own folder"

for file in "$bin"/*; do
  name=$(basename "$file")
  case $name in
    nvcc.profile | ptxas) ;;
    *) ln -sfn "$file" "$folder/$name" ;;
  esac
done
top=$(dirname "$bin")
sed "s|\$(_HERE_)/\.\.|$top|g" "$bin/nvcc.profile" >"$folder/nvcc.profile"

# In single quotes for the shell.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
rm -f "$folder/ptxas"
cat >"$folder/ptxas" <<EOF
#!/bin/sh
exec $(quoted "$wrapper") $(quoted "$bin/ptxas") "\$@"
EOF
chmod +x "$folder/ptxas"
echo "$folder/nvcc assembles through $wrapper"
