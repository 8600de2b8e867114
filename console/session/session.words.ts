import { words } from '#console/words/words.ts';

/** Each `reason` says what happened and what to do, in one sentence or two. */
export const sessionWords = words({
  en: {
    title: 'Sign in to Causeway',
    signIn: 'Sign in',
    signInAgain: 'Sign in again',
    signedOut: 'You were signed out.',
    keepsInput: 'What you have entered stays on this page.',
    issuerSays: (text: string) => `The sign-in server says: ${text}`,
    waiting: 'The sign-in server cannot be reached. Your session continues as soon as it answers.',
    fewerRoles: (roles: string) =>
      `You no longer have the role ${roles}, so what it allows is refused. What you have entered stays on this page. Ask an administrator of the organisation if you still need it.`,
    close: 'Close',
    'signed-out': 'You are signed out.',
    expired: 'Your session has expired. Sign in again to continue.',
    ended: 'Your session has ended: it expired, or it was ended at the sign-in server. Sign in again to continue.',
    denied: 'The sign-in server refused to let you in. Ask its administrator for access to Causeway.',
    interrupted: 'The sign-in took too long or was begun in another window. Sign in again.',
    'issuer-down': 'The sign-in server cannot be reached. Check your connection, and try again.',
    'issuer-refused':
      'The sign-in server does not accept the settings of this Causeway. Tell its administrator what it says.',
    'token-refused':
      'This server does not accept the tokens of its sign-in server. Its administrator finds the reason in its log.',
    clock: 'The clocks of this server and of the sign-in server differ. Tell the administrator of the server.',
    insecure: 'Browsers sign in over https only: open this page at an https address, or at localhost.',
    'storage-blocked':
      'The browser does not let this page store anything, or its storage is full, so it could not return from the sign-in. Allow site data for this address, and reload.',
    'window-blocked': 'The browser blocked the sign-in window. Allow windows of this address, and try again.',
    'window-done': 'You are signed in. Close this window and go on in the other one.',
  },
  de: {
    title: 'Bei Causeway anmelden',
    signIn: 'Anmelden',
    signInAgain: 'Wieder anmelden',
    signedOut: 'Sie wurden abgemeldet.',
    keepsInput: 'Ihre Eingaben bleiben auf dieser Seite stehen.',
    issuerSays: (text: string) => `Der Anmeldedienst meldet: ${text}`,
    waiting: 'Der Anmeldedienst ist nicht erreichbar. Die Sitzung geht weiter, sobald er antwortet.',
    fewerRoles: (roles: string) =>
      `Sie haben die Rolle ${roles} nicht mehr; was sie erlaubt, wird abgelehnt. Ihre Eingaben bleiben auf dieser Seite stehen. Fragen Sie die Verwaltung der Organisation, wenn Sie sie noch brauchen.`,
    close: 'Schließen',
    'signed-out': 'Sie sind abgemeldet.',
    expired: 'Ihre Sitzung ist abgelaufen. Melden Sie sich wieder an.',
    ended:
      'Ihre Sitzung ist zu Ende: Sie ist abgelaufen oder wurde beim Anmeldedienst beendet. Melden Sie sich wieder an.',
    denied: 'Der Anmeldedienst hat Sie nicht eingelassen. Bitten Sie seine Verwaltung um Zugang zu Causeway.',
    interrupted:
      'Die Anmeldung hat zu lange gedauert oder begann in einem anderen Fenster. Melden Sie sich noch einmal an.',
    'issuer-down':
      'Der Anmeldedienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    'issuer-refused':
      'Der Anmeldedienst nimmt die Einstellungen dieses Causeway nicht an. Geben Sie seiner Verwaltung weiter, was er meldet.',
    'token-refused':
      'Dieser Server nimmt die Tokens seines Anmeldedienstes nicht an. Seine Verwaltung findet den Grund in seinem Log.',
    clock:
      'Die Uhren dieses Servers und des Anmeldedienstes gehen verschieden. Sagen Sie es der Verwaltung des Servers.',
    insecure: 'Browser melden nur über https an: Öffnen Sie die Seite unter einer https-Adresse oder unter localhost.',
    'storage-blocked':
      'Der Browser lässt diese Seite nichts speichern, oder sein Speicher ist voll; sie fände nach der Anmeldung nicht zurück. Erlauben Sie Websitedaten für diese Adresse und laden Sie neu.',
    'window-blocked':
      'Der Browser hat das Anmeldefenster blockiert. Erlauben Sie Fenster dieser Adresse und versuchen Sie es noch einmal.',
    'window-done': 'Sie sind angemeldet. Schließen Sie dieses Fenster und machen Sie im anderen weiter.',
  },
});
