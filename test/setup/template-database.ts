/** The migrated database that test files clone, in the server of all tests and in clusters of a test's own. */
export const templateDatabase = 'causeway_template';
