import type { FastifyInstance } from 'fastify';

/** A place of this server that a newcomer may look for. */
interface Link {
  name: string;
  href: string;
  what: string;
}

const listLinks = ({ graphiql }: RootPageOptions): Link[] => [
  {
    name: 'GraphQL',
    href: '/graphql',
    what: graphiql ? 'everything, with GraphiQL in a browser' : 'everything; POST a query',
  },
  {
    name: 'Service API',
    href: '/api/v1/openapi.json',
    what: "workflows, triggers, runs and credentials, with a user's token",
  },
  {
    name: 'Platform API',
    href: '/v1/openapi.json',
    what: 'orders, stock, prices, customers and products, with an API key',
  },
  { name: 'Theme API', href: '/theme/openapi.json', what: 'blocks of theme extensions' },
  { name: 'Alive', href: '/healthz', what: 'whether this process is alive' },
  { name: 'Ready', href: '/readyz', what: 'whether it can serve, and if not, what is missing' },
];

export interface RootPageOptions {
  graphiql: boolean;
  /** The page to which browsers are sent instead, if there is one. */
  home?: string;
}

/** `GET /`: a page of links for a browser, unless it has a home, and the same as JSON for every other client. */
export function serveRootPage(app: FastifyInstance, options: RootPageOptions): void {
  const links = listLinks(options);
  const page = renderPage(links);
  app.get('/', (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersHtml(request.headers.accept)) return reply.send({ name: 'Causeway', links });
    if (options.home !== undefined) return reply.redirect(options.home);
    return reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .type('text/html; charset=utf-8')
      .send(page);
  });
}

/** Browsers name HTML; clients that take anything want data. */
const prefersHtml = (accept = ''): boolean => /\btext\/html\b/.test(accept);

const renderPage = (links: Link[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Causeway</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
  body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
  dt { font-weight: 600 }
  dd { margin: 0 0 .75rem }
</style>
<h1>Causeway</h1>
<p>This server is running. What it offers:</p>
<dl>
${links.map(({ name, href, what }) => `<dt><a href="${href}">${name}</a> <code>${href}</code></dt><dd>${what}</dd>`).join('\n')}
</dl>
</html>
`;
