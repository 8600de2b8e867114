import { words } from '#console/words/words.ts';

export const outboxFailureWords = words({
  en: {
    topic: 'Event',
    consumer: 'Consumer',
    tenant: 'Tenant',
    error: 'Error',
    event: 'Id of the event',
    publishedAt: 'Published',
    failedAt: 'Put aside',
    retry: 'Retry',
    retried: 'The consumer handled the event.',
    discard: 'Discard',
    discardConfirm: (consumer: string) =>
      `The event is given up for ${consumer}. Its other consumers are not concerned.`,
    discarded: 'The event was discarded.',
    empty: 'Every consumer handled its events. Those that one cannot handle stay here for thirty days.',
    retryAbout: 'Hands the event to its consumer again.',
  },
  de: {
    topic: 'Ereignis',
    consumer: 'Empfänger',
    tenant: 'Mandant',
    error: 'Fehler',
    event: 'Id des Ereignisses',
    publishedAt: 'Veröffentlicht',
    failedAt: 'Beiseitegelegt',
    retry: 'Wiederholen',
    retried: 'Der Empfänger hat das Ereignis verarbeitet.',
    discard: 'Verwerfen',
    discardConfirm: (consumer: string) =>
      `Das Ereignis wird für ${consumer} aufgegeben. Seine anderen Empfänger betrifft das nicht.`,
    discarded: 'Das Ereignis wurde verworfen.',
    empty:
      'Jeder Empfänger hat seine Ereignisse verarbeitet. Was einer nicht verarbeiten kann, bleibt dreißig Tage hier.',
    retryAbout: 'Übergibt das Ereignis erneut an seinen Empfänger.',
  },
});
