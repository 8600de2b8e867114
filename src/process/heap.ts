import { setFlagsFromString } from 'node:v8';

// Imported before anything else by every process. On a machine with much memory V8 lets a heap grow to several times of what
// lives in it before it looks for what does not: an API process with 60 MiB of live objects came to 450 MiB of memory under
// load, and to 340 with this. A heap may now grow by a fifth of what lived after the last collection.
//
// The young generation keeps V8's size: a quarter of it (`--max-semi-space-size=4`) took 33 MiB off the whole process group, and
// made an API process spend 0.35 ms on a run instead of 0.26.
setFlagsFromString('--heap-growing-percent=20');
