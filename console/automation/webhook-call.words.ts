import { words } from '#console/words/words.ts';

/** Words about how a webhook is called. */
export const webhookCallWords = words({
  en: {
    title: 'Call it',
    address: 'Its address',
    addressHelp: 'Send requests here. A click copies it.',
    example: 'Example for a shell',
    token:
      '`TOKEN` stands for a token of this tenant with the role `user`. In development `npm run -s token` prints one; elsewhere your identity provider gives it.',
    secret: (name: string) =>
      `\`SECRET\` stands for the value of the tenant’s secret \`${name}\`. Nobody can read it here: take it from the caller, or set a new one.`,
    secrets: 'Secrets of the tenant',
    docs: 'Webhooks: what the caller sends and gets',
  },
  de: {
    title: 'Aufrufen',
    address: 'Seine Adresse',
    addressHelp: 'Anfragen gehen hierhin. Ein Klick kopiert sie.',
    example: 'Beispiel für eine Shell',
    token:
      '`TOKEN` steht für ein Token dieses Mandanten mit der Rolle `user`. In der Entwicklung gibt `npm run -s token` eines aus, sonst Ihr Identity-Provider.',
    secret: (name: string) =>
      `\`SECRET\` steht für den Wert des Geheimnisses \`${name}\` dieses Mandanten. Hier kann ihn niemand lesen: Nehmen Sie ihn vom Aufrufer, oder setzen Sie einen neuen.`,
    secrets: 'Geheimnisse des Mandanten',
    docs: 'Webhooks: was der Aufrufer sendet und erhält (englisch)',
  },
});
