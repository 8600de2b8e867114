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
    const { items, ...read } = await readPages(paging, source.url, async (place, number) => {
      const { outputs, ...page } = await source.read(place, number);
      last = outputs;
      return page;
    });
    return { outputs: { ...last, body: items, ...read } };
  },
});
