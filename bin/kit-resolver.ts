import { registerHooks } from 'node:module';

const kits = ['@causeway/node-kit', '@causeway/extension-kit'];

/** Preloaded into an author's own code, so that imports of the kits work before anything is installed. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isKit = kits.some((kit) => specifier === kit || specifier.startsWith(`${kit}/`));
    return nextResolve(specifier, isKit ? { ...context, parentURL: import.meta.url } : context);
  },
});
