import { registerHooks } from 'node:module';

/** Preloaded into a package's tests, so that imports of the kit work without installing the package. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isKit = specifier === '@causeway/node-kit' || specifier.startsWith('@causeway/node-kit/');
    return nextResolve(specifier, isKit ? { ...context, parentURL: import.meta.url } : context);
  },
});
