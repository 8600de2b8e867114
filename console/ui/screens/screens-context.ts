import { createContext } from 'react';
import type { Screens } from './screen.ts';

/** How parts that know no noun reach the screens of one. */
export interface ScreensAccess {
  load: (noun: string) => Promise<Screens | undefined>;
  /** The noun whose pages show objects of a type of the graph. */
  nounOf: (typename: string) => string | undefined;
}

export const ScreensContext = createContext<ScreensAccess>({ load: async () => undefined, nounOf: () => undefined });
