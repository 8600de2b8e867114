/**
 * V8's flags for test workers and for the processes of the product that tests start. Node keeps compiled code by flags, so those processes
 * find the code of the workers, where each would compile the product anew (0.7 s).
 *
 * The product's modules alone are 100 MB of heap, which is marked again with each collection: collecting less often takes a tenth of the
 * processor time away.
 */
export const v8Flags = [
  '--initial-old-space-size=768',
  '--min-semi-space-size=16',
  '--max-semi-space-size=64',
  '--no-allocation-site-pretenuring',
];
