// Before the page is drawn, so that nothing flashes: the theme that the reader chose, if any.
const chosenTheme = (() => {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
})();
if (chosenTheme === 'light' || chosenTheme === 'dark') document.documentElement.dataset.theme = chosenTheme;
document.documentElement.classList.add('scripted');
