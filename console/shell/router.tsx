import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { lazily } from '#console/ui/lazily.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { DocsHome, DocsRoute } from './docs-route.tsx';
import { Frame } from './frame.tsx';
import { loadPage, loadScreens, NoPage, NounDetail, NounList, TenantHome } from './noun-pages.tsx';

const root = createRootRoute({ component: Frame });
const Home = lazily(() => import('./home.tsx').then(({ Home }) => Home));
const home = createRoute({ getParentRoute: () => root, path: '/', component: () => <Home /> });
// An address without a tenant, as in a text for everybody, opens in the tenant of last time.
const anyTenant = createRoute({ getParentRoute: () => root, path: '/$noun', component: () => <Home /> });
const docsHome = createRoute({ getParentRoute: () => root, path: '/docs', component: DocsHome });
const docs = createRoute({ getParentRoute: () => root, path: '/docs/$page', component: DocsRoute });
// Users may delete the end of an address by hand; the address of a tenant alone opens its overview.
const tenantHome = createRoute({ getParentRoute: () => root, path: '/t/$tenant', component: TenantHome });
// The page before stays until the code of the next is there, and pointing at a link loads it. A failure is the component's to show.
const tenantList = createRoute({
  getParentRoute: () => root,
  path: '/t/$tenant/$noun',
  component: NounList,
  loader: async ({ params }) => void (await loadScreens(params.noun).catch(() => undefined)),
});
const tenantDetail = createRoute({
  getParentRoute: () => root,
  path: '/t/$tenant/$noun/$id',
  component: NounDetail,
  loader: async ({ params }) => void (await loadPage(params.noun).catch(() => undefined)),
});

/** Three kinds of address serve every noun: a list in any tenant, a list, and a page. `basepath` is the path of the console. */
export const createConsoleRouter = (basepath: string) =>
  createRouter({
    routeTree: root.addChildren([home, anyTenant, docsHome, docs, tenantHome, tenantList, tenantDetail]),
    basepath,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultPendingComponent: () => <Skeleton rows={20} />,
    defaultNotFoundComponent: NoPage,
    scrollRestoration: true,
    // Values stay texts: `?q=12` searches for "12".
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (values) => {
      const entries = Object.entries(values).filter(([, value]) => typeof value === 'string' && value !== '');
      return entries.length > 0 ? `?${new URLSearchParams(entries as [string, string][])}` : '';
    },
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
