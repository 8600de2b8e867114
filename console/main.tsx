import './ui/styles/main.css';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';

const root = document.querySelector('#root');
if (!root) throw new Error('The page has no element #root to draw the console in.');
createRoot(root).render(<App />);
