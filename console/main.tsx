import './ui/styles/main.css';
import { startConsole } from './shell/start.tsx';

void startConsole();
