import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react';

/**
 * A component whose code is loaded when it is first drawn; `meanwhile` stands for it until then. Not React's `lazy`, whose Suspense draws
 * what was loaded at the earliest 300 ms after its fallback, which is long for a menu.
 */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P & { meanwhile?: ReactNode }> {
  let Loaded: ComponentType<P> | undefined;
  return function Lazily({ meanwhile, ...props }) {
    const [, redraw] = useReducer((count: number) => count + 1, 0);
    const [failure, setFailure] = useState<{ error: unknown }>();
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          Loaded = component;
          redraw();
        },
        (error: unknown) => setFailure({ error }),
      );
    }, []);
    // The boundary around shows it, and what to do.
    if (failure) throw failure.error;
    return Loaded ? <Loaded {...(props as unknown as P)} /> : meanwhile;
  };
}
