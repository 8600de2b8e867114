/** Helpers to create the objects of a mutation. */
interface Making {
  /** Runs a mutation and answers the id of the newest row of the table. */
  make: (field: string, input: object, table: string) => Promise<number>;
  /** A name that is used once. */
  name: () => string;
}

/** The mutations of saved views: what each needs, and `action resource_type` of what it writes. */
export function savedViewMutations({ make, name }: Making) {
  const newView = () => ({ list: 'runs', name: name() });
  const view = () => make('createSavedView', newView(), 'saved_views');
  return {
    createSavedView: { input: newView, writes: ['create saved_view'] },
    updateSavedView: {
      input: async () => ({ id: await view(), filter: { status: ['FAILED'] } }),
      writes: ['update saved_view'],
    },
    deleteSavedView: { input: async () => ({ id: await view() }), writes: ['delete saved_view'] },
  };
}
