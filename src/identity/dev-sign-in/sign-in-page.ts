/** An organisation of this installation with its tenants. */
export interface Place {
  id: string;
  name: string;
  tenants: readonly { id: string; name: string }[];
}

/** Somebody to sign in as. */
export interface DevUser {
  role: 'admin' | 'user' | 'operator';
  label: string;
  may: string;
}

export const devUsers: readonly DevUser[] = [
  { role: 'admin', label: 'Administrator', may: 'changes everything of the tenants' },
  { role: 'user', label: 'User', may: 'reads, and starts runs' },
  { role: 'operator', label: 'Operator', may: 'looks after the installation, in no tenant' },
];

/** The page on which a developer chooses a user and a tenant. `hidden` are the parameters that the form sends on. */
export const signInPage = (hidden: URLSearchParams, places: readonly Place[]): string =>
  page(
    'Sign in',
    `<p>This is the development sign-in: it asks for no password, and is absent in production.</p>
<form method="post" action="/dev/oidc/authorize">
${[...hidden].map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`).join('\n')}
<fieldset>
<legend>Sign in as</legend>
${devUsers.map(userChoice).join('\n')}
</fieldset>
<p><label for="place">Organisation and tenants</label>
<select id="place" name="place">
${places.flatMap(placeChoices).join('\n')}
</select></p>
<p><button>Sign in</button></p>
</form>`,
  );

export const faultPage = (message: string): string => page('Sign-in refused', `<p>${escape(message)}</p>`);

export const signedOutPage = (): string => page('Signed out', '<p>You are signed out of this server.</p>');

const userChoice = ({ role, label, may }: DevUser, index: number): string =>
  `<div><input type="radio" id="role-${role}" name="role" value="${role}"${index === 0 ? ' checked' : ''}> ` +
  `<label for="role-${role}">${label}</label> <small>${may}</small></div>`;

function placeChoices({ id, name, tenants }: Place): string[] {
  const all = `<option value="${escape(id)}">${escape(name)}: all tenants</option>`;
  return [
    all,
    ...tenants.map(
      (tenant) =>
        `<option value="${escape(`${id}/${tenant.id}`)}">${escape(name)}: only ${escape(tenant.name)}</option>`,
    ),
  ];
}

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} - Causeway</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
  body { max-width: 32rem; margin: 3rem auto; padding: 0 1rem }
  fieldset { border: 1px solid; border-radius: .5rem }
  select, button { font: inherit; padding: .25rem .75rem; width: 100% }
  small { opacity: .75 }
</style>
<main>
<h1>${title}</h1>
${body}
</main>
</html>
`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
