import { registerHooks } from 'node:module';
import { kitEntry } from './kits.ts';

/** Preloaded into an author's own code, so that imports of the kits work before anything is installed. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const entry = kitEntry(specifier);
    return entry === undefined ? nextResolve(specifier, context) : { url: entry, shortCircuit: true };
  },
});
