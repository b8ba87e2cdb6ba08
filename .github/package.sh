#!/usr/bin/env bash
# Builds the program for a target and packs it with its man page and completions into dist/, with checksums.
# On Debian and Ubuntu with cargo-deb it also builds a package. Usage: .github/package.sh TARGET [PROFILE]
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1
profile=${2:-dist}
folder=${CARGO_TARGET_DIR:-target}/$target/$profile
[ "$profile" = dev ] && folder=${CARGO_TARGET_DIR:-target}/$target/debug

cargo build --locked --profile "$profile" --target "$target"
program=$folder/colloquium
version=$("$program" --version | cut -d' ' -f2)
name=colloquium-$version-$target

# every target built here also runs here
rm -rf "dist/$name"
mkdir -p "dist/$name/completions"
"$program" man > "dist/$name/colloquium.1"
"$program" completions bash > "dist/$name/completions/colloquium"
"$program" completions zsh > "dist/$name/completions/_colloquium"
"$program" completions fish > "dist/$name/completions/colloquium.fish"
cp "$program" README.md "dist/$name/"
tar -C dist -czf "dist/$name.tar.gz" "$name"

if cargo deb --version > /dev/null 2>&1; then
    rm -rf target/package && mkdir -p target/package
    cp -r "dist/$name/." target/package/
    cargo deb --locked --no-build --no-strip --target "$target" --profile "$profile" --output dist/
fi
rm -rf "dist/$name"
cd dist
sums=$(command -v sha256sum || echo "shasum -a 256")
for file in *.tar.gz *.deb; do
    if [ -e "$file" ]; then $sums "$file" > "$file.sha256"; fi
done
