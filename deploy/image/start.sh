#!/bin/sh
# Without arguments it starts a process, as `npm start` does; with arguments it is the command `causeway`.
set -eu
cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then
  exec node bin/causeway.ts "$@"
fi
exec sh -c "$(node --print 'require("./package.json").scripts.start')"
