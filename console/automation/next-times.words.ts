import { words } from '#console/words/words.ts';

export const nextTimesWords = words({
  en: {
    title: 'Next times in the zone of the schedule',
    none: 'It never fires again: no time of the next ten years matches.',
    notYet: 'This is no schedule yet, so it has no next times.',
  },
  de: {
    title: 'Nächste Zeiten in der Zeitzone des Plans',
    none: 'Er löst nie wieder aus: In zehn Jahren passt keine Zeit.',
    notYet: 'Das ist noch kein Plan, darum hat er keine nächsten Zeiten.',
  },
});
