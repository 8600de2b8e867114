import { words } from '#console/words/words.ts';

export const editorTemplateWords = words({
  en: {
    start: 'Start from a template',
    title: (name: string) => `Template ${name}`,
    fill: 'Fill the graph',
    filled: (name: string) => `Fill the graph from ${name}`,
    done: (name: string) => `The graph is that of ${name}.`,
    missing: 'This is needed.',
    noCredential: 'None',
    notFound: 'This template is not there any more.',
  },
  de: {
    start: 'Mit einer Vorlage beginnen',
    title: (name: string) => `Vorlage ${name}`,
    fill: 'Graph füllen',
    filled: (name: string) => `Graph aus ${name} füllen`,
    done: (name: string) => `Der Graph ist der von ${name}.`,
    missing: 'Das wird gebraucht.',
    noCredential: 'Keine',
    notFound: 'Diese Vorlage gibt es nicht mehr.',
  },
});
