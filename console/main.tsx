import './ui/styles/main.css';
