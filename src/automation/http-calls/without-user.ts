/** False for a URL with a user name or a password, which are not sent and would be shown. */
export function withoutUser(url: string): boolean {
  const { username, password } = URL.parse(url) ?? { username: '', password: '' };
  return username === '' && password === '';
}
