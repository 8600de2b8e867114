/**
 * Deliveries a second of plain graphql-ws, alone. `node bench/ws-peer.ts [sockets] [events]`
 */
import { note, printFigure } from './lib/figure.ts';
import { significant } from './lib/stats.ts';
import { measurePlainGraphqlWs } from './lib/ws-peer-rate.ts';

const [sockets = 1000, events = 300] = process.argv.slice(2).map(Number);

note(`Plain graphql-ws: ${events} events to ${sockets} subscribers ...`);
const rate = await measurePlainGraphqlWs(sockets, events);
printFigure({
  figure: 'plain-graphql-ws-deliveries',
  value: rate.perSecond,
  unit: 'deliveries/s',
  detail: {
    sockets,
    events,
    ...rate,
    perSecond: significant(rate.perSecond),
    counterLoad: significant(rate.counterLoad, 2),
  },
});
