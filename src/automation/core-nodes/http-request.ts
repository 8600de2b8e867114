import type { Place } from '#src/automation/http-calls/next-place.ts';
import { readPageAt } from '#src/automation/http-calls/page-turn.ts';
import { readPages } from '#src/automation/http-calls/read-pages.ts';
import { httpConfig } from '#src/automation/http-calls/requests/config.ts';
import { openSender, send, toSource } from '#src/automation/http-calls/requests/request-pages.ts';
import { defineNode } from './core-node.ts';

export const httpRequestNode = defineNode({
  name: 'http-request',
  config: httpConfig,
  effect: 'effect',
  uses: ['credentials', 'files', 'http'],
  async execute(config, ctx) {
    const { url, sender } = await openSender(config, ctx);
    const { paging } = config;
    if (!paging) return { outputs: (await send(config, url, sender)).outputs };
    let last = {};
    const source = toSource(config, url, sender);
    const readPage = async (place: Place, number = 1) => {
      const { outputs, ...page } = await source.read(place, number);
      last = outputs;
      return page;
    };
    const { items, ...read } = paging.position
      ? await readPageAt(paging, source.url, paging.position, readPage)
      : await readPages(paging, source.url, readPage);
    return { outputs: { ...last, body: items, ...read } };
  },
});
