/** The console. */
export function App() {
  return <h1>Causeway</h1>;
}
