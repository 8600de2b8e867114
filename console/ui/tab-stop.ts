import { createContext } from 'react';

/** Whether Tab leads to the links within; in a list of thousands of rows it leads to those of one. */
export const TabStop = createContext(true);
