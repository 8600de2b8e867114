/** False for a URL with a user name or a password. Requests would not send them, and they would be visible. */
export function withoutUser(url: string): boolean {
  const { username, password } = URL.parse(url) ?? { username: '', password: '' };
  return username === '' && password === '';
}
