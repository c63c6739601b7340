// The choice is kept where the browser lets a page keep anything; a file opened from disk may not.
const THEMES = ["auto", "light", "dark"];
const KEPT = "vqamt-theme";

function keptTheme() {
  try {
    const kept = localStorage.getItem(KEPT);
    return THEMES.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
}

function showTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

let theme = keptTheme();
showTheme(theme);

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const say = () => { button.textContent = `Theme: ${theme}`; };
  button.hidden = false;
  say();
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    showTheme(theme);
    say();
    try {
      localStorage.setItem(KEPT, theme);
    } catch {
      // it holds for this view alone
    }
  });
});
