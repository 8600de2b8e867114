import type { ErrorCatalogue } from './error-translator.ts';

/** What each code of an error means, in German. A test finds those that are missing. */
const germanCodes: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'Der Server versteht diese Anfrage nicht.',
  UNAUTHENTICATED: 'Der Server nimmt Ihre Anmeldung nicht mehr an. Melden Sie sich neu an.',
  TENANT_REQUIRED: 'Diesen Mandanten gibt es nicht, oder Sie dürfen ihn nicht betreten.',
  FORBIDDEN: 'Ihre Rolle erlaubt das nicht.',
  INVALID_SIGNATURE: 'Die Signatur stimmt nicht.',
  NOT_FOUND: 'Das gibt es nicht, oder es wurde gelöscht.',
  METHOD_NOT_ALLOWED: 'Das ist an dieser Adresse nicht möglich.',
  CONFLICT: 'Das passt nicht zum jetzigen Stand. Laden Sie die Seite neu und prüfen Sie, was sich geändert hat.',
  GONE: 'Das gibt es nicht mehr.',
  PAYLOAD_TOO_LARGE: 'Das ist größer, als der Server annimmt.',
  VALIDATION_FAILED: 'Einige Angaben stimmen nicht.',
  UNPROCESSABLE: 'Das kann der Server so nicht verarbeiten.',
  TOO_MANY_ATTEMPTS:
    'Das waren zu viele Anfragen in kurzer Zeit. Warten Sie einen Moment und versuchen Sie es noch einmal.',
  INTERNAL: 'Der Server konnte das nicht tun.',
  INTEGRITY_FAILED: 'Die Datei ist nicht die, die registriert wurde.',
  RUNTIME_FAILED: 'Die Laufzeit der Knoten ist daran gescheitert.',
  UNAVAILABLE: 'Das geht gerade nicht. Versuchen Sie es in Kürze noch einmal.',
};

/** The sentences of the codes themselves, which say no more than the code. */
const plainSentences: ReadonlySet<string> = new Set([
  'Bad Request.',
  'Unauthenticated.',
  'Tenant context is required.',
  'This action is unauthorized.',
  'Invalid signature.',
  'Not found.',
  'Method not allowed.',
  'The request conflicts with the present state.',
  'Gone.',
  'The request body is too large.',
  'The given data was invalid.',
  'The request cannot be processed.',
  'Too Many Attempts.',
  'Server Error',
  'The file differs from what was registered.',
  'Node runtime failed.',
  'The service is unavailable. Try again shortly.',
]);

/** Faults of values, which end a sentence that begins with the field; `{1}` is what stands there, as it is. */
const germanFaults: Readonly<Record<string, string>> = {
  'is required.': 'muss angegeben werden.',
  'is not valid.': 'ist nicht gültig.',
  'must not be empty.': 'darf nicht leer sein.',
  'must be one of {1}.': 'muss einer dieser Werte sein: {1}.',
  'must be more than {1}.': 'muss größer sein als {1}.',
  'must be at least {1}.': 'muss mindestens {1} sein.',
  'must be less than {1}.': 'muss kleiner sein als {1}.',
  'must be at most {1}.': 'darf höchstens {1} sein.',
  'must be a multiple of {1}.': 'muss ein Vielfaches von {1} sein.',
  'must have exactly {1}.': 'muss genau {1} haben.',
  'must have at least {1}.': 'muss mindestens {1} haben.',
  'must have at most {1}.': 'darf höchstens {1} haben.',
  'does not have the required format.': 'hat nicht das nötige Format.',
  'has an unknown member: {1}.': 'hat eine unbekannte Angabe: {1}.',
  'has unknown members: {1}.': 'hat unbekannte Angaben: {1}.',
  'has a member whose name is not valid.': 'hat eine Angabe, deren Name nicht gültig ist.',
  'must be {1}.': 'muss {1} sein.',
};

/** Words within faults. */
const germanTerms: Readonly<Record<string, string>> = {
  'a string': 'ein Text',
  'a number': 'eine Zahl',
  'a whole number': 'eine ganze Zahl',
  'true or false': 'wahr oder falsch',
  'a list': 'eine Liste',
  'an object': 'ein Objekt',
  'a date': 'ein Datum',
  'an email address': 'eine E-Mail-Adresse',
  'a URL': 'eine URL',
  'a UUID': 'eine UUID',
  'an ISO 8601 date and time': 'ein Zeitpunkt nach ISO 8601',
  'an ISO 8601 date': 'ein Datum nach ISO 8601',
  'an ISO 8601 time': 'eine Uhrzeit nach ISO 8601',
  'an ISO 8601 duration': 'eine Dauer nach ISO 8601',
  'an IPv4 address': 'eine IPv4-Adresse',
  'an IPv6 address': 'eine IPv6-Adresse',
  'a JWT': 'ein JWT',
  characters: 'Zeichen',
  character: 'Zeichen',
  items: 'Einträge',
  item: 'Eintrag',
  bytes: 'Bytes',
  byte: 'Byte',
  or: ' oder ',
};

/** Whole sentences; `{1}` is what stands there, as it is. Of others, the German of their code is shown with the sentence itself. */
const germanSentences: Readonly<Record<string, string>> = {
  'The name has already been taken.': 'Dieser Name ist vergeben.',
  'The code has already been taken.': 'Dieser Code ist vergeben.',
  'The SKU has already been taken.': 'Diese SKU ist vergeben.',
  'Organisation {1} exists already.': 'Die Organisation {1} gibt es schon.',
  'Tenant {1} exists already.': 'Den Mandanten {1} gibt es schon.',
  'There is no product with this SKU.': 'Es gibt keinen Artikel mit dieser SKU.',
  'There is no price list of this code.': 'Es gibt keine Preisliste mit diesem Code.',
  'There is no attribute of this code.': 'Es gibt kein Attribut mit diesem Code.',
  'There is no such workflow.': 'Diesen Workflow gibt es nicht.',
  'There is no webhook trigger with this handle.': 'Es gibt keinen Webhook-Trigger mit dieser Kennung.',
  'The workflow has no active trigger with this handle.': 'Der Workflow hat keinen aktiven Trigger mit dieser Kennung.',
  'The workflow has no trigger with this handle.': 'Der Workflow hat keinen Trigger mit dieser Kennung.',
  'The workflow has no such node.': 'Der Workflow hat diesen Knoten nicht.',
  'The workflow has no draft.': 'Der Workflow hat keinen Entwurf.',
  'The workflow is at revision {1}.': 'Der Workflow ist bei Revision {1}.',
  'The draft is at version {1}. Load it again and repeat your change.':
    'Der Entwurf ist inzwischen bei Version {1}. Laden Sie ihn neu und wiederholen Sie Ihre Änderung.',
  'No user with a role in the tenant has this id.': 'Diese Person hat keine Rolle im Mandanten.',
  'There is no profile of this name. See GET /v1/io/import-profiles.': 'Es gibt kein Importprofil mit diesem Namen.',
  'There is no such account. Make one with createSftpAccount.': 'Dieses SFTP-Konto gibt es nicht.',
  'There is no such source. Make one with createHttpSource.': 'Diese HTTP-Quelle gibt es nicht.',
  'Name an account or a source, not both.': 'Geben Sie ein Konto oder eine Quelle an, nicht beides.',
  'Name an SFTP account, or an HTTP source as sourceId.': 'Geben Sie ein SFTP-Konto oder eine HTTP-Quelle an.',
  'Name a directory other than that of the files.': 'Geben Sie ein anderes Verzeichnis an als das der Dateien.',
  'Name what to export, or a profile.': 'Geben Sie an, was exportiert wird, oder ein Profil.',
  'Name at least one scope; * is every scope.': 'Wählen Sie mindestens ein Recht.',
  'Use an instant in the future.': 'Geben Sie einen Zeitpunkt in der Zukunft an.',
  'The time must be in the future.': 'Der Zeitpunkt muss in der Zukunft liegen.',
  'At most {1} days ahead.': 'Höchstens {1} Tage im Voraus.',
  'Use another location than the one it is taken from.':
    'Geben Sie einen anderen Lagerort an als den, von dem es kommt.',
  'Only a select has options.': 'Nur eine Auswahl hat Möglichkeiten.',
  'Name the options of a select.': 'Geben Sie an, was zur Auswahl steht.',
  'It must be after the start of the validity.': 'Es muss nach dem Beginn der Gültigkeit liegen.',
  'Give a secret or a reference to one, not both.':
    'Geben Sie ein Geheimnis oder einen Verweis darauf an, nicht beides.',
  'Give a password or a private key.': 'Geben Sie ein Passwort oder einen privaten Schlüssel an.',
  'Give a password or a private key, not both.':
    'Geben Sie ein Passwort oder einen privaten Schlüssel an, nicht beides.',
  'The organization has a contact with this address.': 'Der Kunde hat schon einen Ansprechpartner mit dieser Adresse.',
  'The order has no such position.': 'Der Auftrag hat diese Position nicht.',
  'The ERP owns the status of this order: change it with an API key.':
    'Den Status dieses Auftrags führt das ERP; er wird mit einem API-Schlüssel geändert.',
  'Schedules use the account. Delete them first, or give them another.':
    'Zeitpläne benutzen das Konto. Löschen Sie sie zuerst, oder geben Sie ihnen ein anderes.',
  'Schedules use the source. Delete them first, or give them another.':
    'Zeitpläne benutzen die Quelle. Löschen Sie sie zuerst, oder geben Sie ihnen eine andere.',
  'The SFTP account has been deleted.': 'Das SFTP-Konto wurde gelöscht.',
  'The HTTP source has been deleted.': 'Die HTTP-Quelle wurde gelöscht.',
  'An option that is left out is still in use; change the values of {1} first.':
    'Eine Möglichkeit, die fehlt, ist noch in Gebrauch; ändern Sie erst die Werte von {1}.',
  'Values of a deleted attribute {1} are still there; use another code.':
    'Von einem gelöschten Attribut {1} gibt es noch Werte; nehmen Sie einen anderen Code.',
  '{1} has {2} active keys; revoke one of them first.':
    '{1} hat {2} aktive Schlüssel; widerrufen Sie erst einen davon.',
  'A tenant has at most {1} active keys; revoke those that nothing uses.':
    'Ein Mandant hat höchstens {1} aktive Schlüssel; widerrufen Sie, was niemand benutzt.',
  'The key has been revoked; make a new one.': 'Der Schlüssel wurde widerrufen; legen Sie einen neuen an.',
  'The order is held; release it first.': 'Der Auftrag ist angehalten; geben Sie ihn erst frei.',
  'Something of the order was shipped, so it cannot be cancelled. Record a return.':
    'Etwas vom Auftrag wurde geliefert, darum kann er nicht storniert werden. Erfassen Sie eine Rücksendung.',
  'Nothing of the order is left for a {1}.': 'Vom Auftrag ist dafür nichts mehr übrig.',
  'Orders reserve {1} of it: ship, complete or cancel them instead.':
    'Aufträge reservieren {1} davon: Liefern, beenden oder stornieren Sie diese.',
  'The reference has been used for a {1} of another order.':
    'Die Referenz wurde schon bei einem anderen Auftrag benutzt.',
  'The destination is disabled; enable it first.': 'Das Ziel ist ausgeschaltet; schalten Sie es erst ein.',
  'The step has been resumed already.': 'Der Schritt wurde schon fortgesetzt.',
  'The run has {1} already.': 'Der Lauf ist schon zu Ende.',
  'The job has ended: it is {1}.': 'Der Job ist schon zu Ende.',
  'Only a failed run can be retried; this one is {1}.': 'Nur ein fehlgeschlagener Lauf kann wiederholt werden.',
  'A test run cannot be rerun, since the new run would not be a test.':
    'Ein Testlauf kann nicht neu ausgeführt werden, denn der neue Lauf wäre kein Test.',
  'A workflow has at most {1} triggers.': 'Ein Workflow hat höchstens {1} Trigger.',
  'A tenant has at most {1} schedule triggers.': 'Ein Mandant hat höchstens {1} Trigger mit Zeitplan.',
  'A tenant has at most {1} active event triggers.': 'Ein Mandant hat höchstens {1} aktive Ereignis-Trigger.',
  'The file has not been sent yet. PUT it to the address of the upload first.':
    'Die Datei wurde noch nicht hochgeladen.',
  'The file was cut short. Send it again.': 'Die Datei kam nicht ganz an. Senden Sie sie noch einmal.',
  'The file has been deleted. Start the export again.': 'Die Datei wurde gelöscht. Starten Sie den Export noch einmal.',
  'A version of the extension is installed already; upgrade it.':
    'Eine Version der Erweiterung ist schon installiert; wechseln Sie diese.',
  'Workflow worker is unavailable.': 'Gerade führt kein Worker Workflows aus.',
  'The identity provider cannot be reached.': 'Der Identitätsanbieter ist nicht erreichbar.',
};

export const germanErrors: ErrorCatalogue = {
  codes: germanCodes,
  plain: plainSentences,
  sentences: germanSentences,
  faults: germanFaults,
  terms: germanTerms,
  subject: 'Das',
};
