import { words } from '#console/words/words.ts';

export const scheduleWords = words({
  en: {
    trigger: 'Schedule',
    cron: 'Cron',
    timezone: 'Zone',
    active: 'Active',
    misfire: 'Missed times',
    workflow: 'Workflow',
    next: 'Next time',
    last: 'Last time',
    lastRun: 'Last run',
    search: 'Workflow, trigger or handle',
    empty: 'No schedule yet. Add a trigger of type schedule to a [workflow](workflows).',
  },
  de: {
    trigger: 'Zeitplan',
    cron: 'Cron',
    timezone: 'Zeitzone',
    active: 'Aktiv',
    misfire: 'Verpasste Zeiten',
    workflow: 'Workflow',
    next: 'Nächstes Mal',
    last: 'Letztes Mal',
    lastRun: 'Letzter Lauf',
    search: 'Workflow, Trigger oder Handle',
    empty: 'Noch kein Zeitplan. Fügen Sie einem [Workflow](workflows) einen Trigger mit Zeitplan hinzu.',
  },
});
