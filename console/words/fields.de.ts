/** The members of the graph's inputs in German. A test finds those that are missing. */
export const germanFields: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Beschreibung',
};
