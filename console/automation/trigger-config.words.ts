import { words } from '#console/words/words.ts';

export const triggerConfigWords = words({
  en: {
    config: 'Configuration',
    cron: 'Schedule as cron',
    cronHelp: 'Minute, hour, day, month, weekday: `0 6 * * 1-5` is 6:00 from Monday to Friday.',
    timezone: 'Time zone',
    timezoneHelp: 'Such as `Europe/Berlin`. Empty: UTC.',
    topic: 'Event',
    topicHelp: 'Such as `order.created`; `order.*` is all that begin so, `*` all there are.',
    filter: 'Only if',
    filterHelp: 'An expression about the event. Empty: always.',
    webhookHelp:
      'JSON. Empty: callers need a token, and are answered before the run ends. The documentation of webhooks says what else there is.',
  },
  de: {
    config: 'Einstellungen',
    cron: 'Zeitplan als Cron',
    cronHelp: 'Minute, Stunde, Tag, Monat, Wochentag: `0 6 * * 1-5` ist 6:00 von Montag bis Freitag.',
    timezone: 'Zeitzone',
    timezoneHelp: 'Zum Beispiel `Europe/Berlin`. Leer: UTC.',
    topic: 'Ereignis',
    topicHelp: 'Zum Beispiel `order.created`; `order.*` sind alle, die so beginnen, `*` alle überhaupt.',
    filter: 'Nur wenn',
    filterHelp: 'Ein Ausdruck über das Ereignis. Leer: immer.',
    webhookHelp:
      'JSON. Leer: Aufrufer brauchen ein Token und erhalten ihre Antwort vor dem Ende des Laufs. Die Dokumentation der Webhooks nennt, was es sonst gibt.',
  },
});
