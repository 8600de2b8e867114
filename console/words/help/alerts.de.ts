/** German help texts for the forms of alert recipients. */
export const alertsHelp: Readonly<Record<string, string>> = {
  'Of the people or the system that are told.': 'Die Personen oder das System, die benachrichtigt werden.',
  'The kinds of problems that it is notified about.': 'Worüber benachrichtigt wird.',
  'Mail addresses, at most 20. Give these or a URL.': 'Mailadressen, höchstens 20. Geben Sie diese oder eine URL an.',
  'Mail addresses, at most 20. They take the place of the URL.':
    'Mailadressen, höchstens 20. Sie treten an die Stelle der URL.',
  'Called instead of mail: https, or http to a host that the operator allows.':
    'Wird statt einer Mail aufgerufen: https, oder http zu einem Host, den der Betreiber erlaubt.',
  'Called instead of mail: https, or http to a host that the operator allows. It takes the place of the mail addresses.':
    'Wird statt einer Mail aufgerufen: https, oder http zu einem Host, den der Betreiber erlaubt. Sie tritt an die Stelle der Mailadressen.',
  'Signs calls of the URL as those of webhook destinations; 16 to 1,024 characters. It is stored encrypted. Empty: calls are unsigned.':
    'Signiert Aufrufe der URL wie die von Webhook-Zielen; 16 bis 1.024 Zeichen. Wird verschlüsselt gespeichert. Leer: Aufrufe werden nicht signiert.',
  'How many days before a credential expires the recipient is notified, 1 to 90.':
    'Wie viele Tage vor ihrem Ablauf Zugangsdaten gemeldet werden, 1 bis 90.',
  'How many days before a credential expires the recipient is notified, 1 to 90. Empty: 14.':
    'Wie viele Tage vor ihrem Ablauf Zugangsdaten gemeldet werden, 1 bis 90. Leer: 14.',
  'A group of failures is in one message at most within this many minutes, 1 to 1,440. Empty: 60.':
    'Eine Gruppe von Fehlern steht innerhalb so vieler Minuten in höchstens einer Nachricht, 1 bis 1.440. Leer: 60.',
  'A group of failures is in one message at most within this many minutes, 1 to 1,440. A change counts from the next message on.':
    'Eine Gruppe von Fehlern steht innerhalb so vieler Minuten in höchstens einer Nachricht, 1 bis 1.440. Eine Änderung gilt ab der nächsten Nachricht.',
  'The most messages within any hour, 1 to 60; what is held back is in the next one.':
    'So viele Nachrichten höchstens innerhalb einer Stunde, 1 bis 60; was zurückgehalten wird, steht in der nächsten.',
  'The most messages within any hour, 1 to 60; what is held back is in the next one. Empty: 10.':
    'So viele Nachrichten höchstens innerhalb einer Stunde, 1 bis 60; was zurückgehalten wird, steht in der nächsten. Leer: 10.',
  'Whether it is told.': 'Ob benachrichtigt wird.',
  'Whether it is told. False also drops what waits to be sent.':
    'Ob benachrichtigt wird. Ausgeschaltet wird auch verworfen, was auf den Versand wartet.',
};
