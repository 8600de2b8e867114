import { words } from '#console/words/words.ts';

/** Words of the palette and of the menus at the head, which are loaded when they are opened. */
export const paletteWords = words({
  en: {
    findTenant: 'Find a tenant',
    results: 'Results',
    goTo: 'Go to',
    found: 'Found',
    onThisPage: 'On this page',
    nothingFound: 'Nothing found.',
    newWorkflow: 'New workflow',
    newWorkflowWords: 'new workflow|create workflow|create a workflow|create a new workflow|add a workflow',
    openEditor: (name: string) => `Open the editor of ${name}`,
    /** Matches a search such as "open editor of Orders"; its first group is the name of the workflow. */
    editorPattern: '^(?:open )?(?:the )?(?:editor(?: of| for)?|edit) (.+)$',
    languageNotKept:
      'The browser does not let this page store anything, so it cannot keep the language. Allow site data for this address, and choose again.',
  },
  de: {
    findTenant: 'Mandanten suchen',
    results: 'Ergebnisse',
    goTo: 'Öffnen',
    found: 'Gefunden',
    onThisPage: 'Auf dieser Seite',
    nothingFound: 'Nichts gefunden.',
    newWorkflow: 'Neuer Workflow',
    newWorkflowWords: 'neuer workflow|neuen workflow anlegen|workflow anlegen|workflow erstellen|workflow hinzufügen',
    openEditor: (name: string) => `Editor von ${name} öffnen`,
    editorPattern: '^(?:öffne |bearbeite )?(?:den )?editor(?: von| für)? (.+?)(?: öffnen)?$',
    languageNotKept:
      'Der Browser lässt diese Seite nichts speichern, so kann sie die Sprache nicht behalten. Erlauben Sie Websitedaten für diese Adresse und wählen Sie noch einmal.',
  },
});
