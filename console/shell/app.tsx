import { RouterProvider } from '@tanstack/react-router';
import type { Session } from '#console/session/session.ts';
import { ScreensContext } from '#console/ui/screens/screens-context.ts';
import { loadScreens } from './noun-pages.tsx';
import { nounOf } from './nouns.ts';
import type { createConsoleRouter } from './router.tsx';
import { SessionContext } from './session-context.ts';

const screens = { load: loadScreens, nounOf };

/** The console for a signed-in user. */
export function App({ session, router }: { session: Session; router: ReturnType<typeof createConsoleRouter> }) {
  return (
    <SessionContext value={session}>
      <ScreensContext value={screens}>
        <RouterProvider router={router} />
      </ScreensContext>
    </SessionContext>
  );
}
