import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ConsoleBuild, ConsoleSite } from './console-build.ts';

/** The script that a page loads where the console is watched, below the base of the page. */
export const changesScriptPath = 'console/changes.js';

const changesPath = 'console/changes';

/** Also after a restart of the server, because the browser comes back to the stream and is told the build first. */
const script = `const own = document.querySelector('meta[name="causeway-build"]').content;
new EventSource('${changesPath}').addEventListener('build', ({ data }) => {
  if (data !== own) location.reload();
});
`;

/** Tells open pages to reload, each time that the console was built again. */
export function serveChanges(app: FastifyInstance, { build, onChange }: Required<Omit<ConsoleSite, 'close'>>): void {
  const streams = new Set<PassThrough>();
  app.get(`/${changesScriptPath}`, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(script),
  );
  app.get(`/${changesPath}`, (_request, reply) => {
    const stream = new PassThrough();
    const tell = ({ id }: ConsoleBuild): void => void stream.write(`event: build\ndata: ${id}\n\n`);
    tell(build());
    const stop = onChange(tell);
    streams.add(stream);
    stream.once('close', () => {
      stop();
      streams.delete(stream);
    });
    return reply.header('cache-control', 'no-store').type('text/event-stream').send(stream);
  });
  // They have no end of their own, and the server waits for its connections.
  app.addHook('preClose', (done) => {
    for (const stream of streams) stream.end();
    done();
  });
}
