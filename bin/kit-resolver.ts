import { registerHooks } from 'node:module';

/** Preloaded into a package's tests: a package need not be installed for its imports of the kit to work. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isKit = specifier === '@causeway/node-kit' || specifier.startsWith('@causeway/node-kit/');
    return nextResolve(specifier, isKit ? { ...context, parentURL: import.meta.url } : context);
  },
});
