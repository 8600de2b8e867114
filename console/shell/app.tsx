import { RouterProvider } from '@tanstack/react-router';
import { Provider } from 'urql';
import type { Client } from 'urql';
import { ScreensContext } from '#console/ui/screens/screens-context.ts';
import { findNoun, nounOf } from './nouns.ts';
import type { createConsoleRouter } from './router.tsx';

const screens = { load: async (noun: string) => findNoun(noun)?.load(), nounOf };

/** The console for a signed-in user. */
export function App({ router, client }: { router: ReturnType<typeof createConsoleRouter>; client: Client }) {
  return (
    <Provider value={client}>
      <ScreensContext value={screens}>
        <RouterProvider router={router} />
      </ScreensContext>
    </Provider>
  );
}
