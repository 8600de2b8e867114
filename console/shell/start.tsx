import { type Root, createRoot } from 'react-dom/client';
import { consoleAddress } from '#console/session/addresses.ts';
import { openSession } from '#console/session/open-session.ts';
import { language } from '#console/words/language.ts';
import { App } from './app.tsx';
import { loadScreensAt } from './noun-pages.tsx';
import { createConsoleRouter } from './router.tsx';
import { ServerUnreachable } from './server-unreachable.tsx';

/** Signs in and draws the console, or the page that says why that is not possible. */
export async function startConsole(): Promise<void> {
  const element = document.querySelector('#root');
  if (!element) throw new Error('The page has no element #root to draw the console in.');
  document.documentElement.lang = language;
  const root = createRoot(element);
  try {
    await open(root);
  } catch (error) {
    root.render(<ServerUnreachable error={error} />);
  }
}

async function open(root: Root): Promise<void> {
  const opening = openSession();
  // Meanwhile, and also on the page that leaves for the issuer: the one that returns then has them.
  loadScreensAt(location.href);
  const session = await opening;
  if ('reason' in session) {
    const { SignInPage } = await import('#console/session/sign-in-page.tsx');
    root.render(<SignInPage needed={session} />);
  } else root.render(<App session={session} router={createConsoleRouter(consoleAddress('').pathname)} />);
}
