import { words } from '#console/words/words.ts';

export const orderStoryWords = words({
  en: {
    story: 'From shop to ERP',
    when: 'When',
    what: 'What',
    state: 'Status',
    details: 'Details',
    byRun: (run: string, workflow: string) => `by run ${run} of “${workflow}”`,
    run: (run: string, workflow: string) => `Run ${run} of “${workflow}”`,
    delivery: (topic: string, destination: string) => `${topic} to ${destination}`,
    deletedDestination: 'a deleted destination',
    request: (run: string) => `Request of run ${run}`,
    answered: (status: string, duration: string) => `answered ${status} in ${duration}`,
    failed: (error: string) => `no answer: ${error}`,
    underWay: 'no answer yet',
    attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
    lastAnswer: (status: string) => `last answer ${status}`,
    system: 'System',
    nothing:
      'No workflow and no destination has taken an event of this order. Let a [workflow](workflows) begin on the event order.created, or add a [destination](webhook-destinations) for it.',
  },
  de: {
    story: 'Vom Shop zum ERP',
    when: 'Wann',
    what: 'Was',
    state: 'Status',
    details: 'Einzelheiten',
    byRun: (run: string, workflow: string) => `durch Lauf ${run} von „${workflow}“`,
    run: (run: string, workflow: string) => `Lauf ${run} von „${workflow}“`,
    delivery: (topic: string, destination: string) => `${topic} an ${destination}`,
    deletedDestination: 'ein gelöschtes Ziel',
    request: (run: string) => `Aufruf aus Lauf ${run}`,
    answered: (status: string, duration: string) => `Antwort ${status} nach ${duration}`,
    failed: (error: string) => `keine Antwort: ${error}`,
    underWay: 'noch keine Antwort',
    attempts: (count: number) => (count === 1 ? '1 Versuch' : `${count} Versuche`),
    lastAnswer: (status: string) => `letzte Antwort ${status}`,
    system: 'System',
    nothing:
      'Kein Workflow und kein Ziel hat ein Ereignis dieses Auftrags angenommen. Lassen Sie einen [Workflow](workflows) mit dem Ereignis order.created beginnen, oder legen Sie dafür ein [Ziel](webhook-destinations) an.',
  },
});
