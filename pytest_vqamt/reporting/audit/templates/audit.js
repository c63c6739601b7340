"use strict";
(() => {
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const cases = [...document.querySelectorAll("article")];
  const place = (name) => sheet.columns.indexOf(name);
  const words = ["valid", "invalid", "unsure"];
  const said = cases.map(() => ({ judgement: "", note: "" }));
  let current = 0;
  let changed = false;
  let keeps = true;

  // What is ticked stays in this browser until the sheet has been read; where it keeps nothing, the page says so.
  const key = (row) => [row[place("case_id")], row[place("model")], row[place("data")]].join("\u001f");
  const load = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(sheet.name) || "{}");
      sheet.rows.forEach((row, number) => {
        const [judgement, note] = Array.isArray(kept[key(row)]) ? kept[key(row)] : [];
        if (words.includes(judgement)) said[number].judgement = judgement;
        if (typeof note === "string") said[number].note = note;
      });
    } catch {
      keeps = false;
    }
  };
  const keep = () => {
    changed = true;
    try {
      const kept = {};
      said.forEach((each, number) => {
        if (each.judgement || each.note) kept[key(sheet.rows[number])] = [each.judgement, each.note];
      });
      localStorage.setItem(sheet.name, JSON.stringify(kept));
      keeps = true;
    } catch {
      keeps = false;
    }
  };

  const tell = () => {
    const count = (word) => said.filter((each) => each.judgement === word).length;
    const judged = said.filter((each) => each.judgement).length;
    document.getElementById("progress").value = judged;
    document.getElementById("status").textContent =
      `${judged} of ${cases.length} judged: ` + words.map((word) => `${count(word)} ${word}`).join(", ");
    document.getElementById("kept").hidden = keeps;
    for (const button of cases[current].querySelectorAll("[data-judgement]")) {
      button.setAttribute("aria-pressed", String(button.dataset.judgement === said[current].judgement));
    }
  };
  const show = (number, focus = true) => {
    current = Math.max(0, Math.min(cases.length - 1, number));
    cases.forEach((each, index) => { each.hidden = index !== current; });
    cases[current].querySelector(".why").value = said[current].note;
    for (const button of cases[current].querySelectorAll("[data-go]")) {
      button.disabled = !cases[current + Number(button.dataset.go)];
    }
    tell();
    if (focus) {
      document.getElementById("help").open = false;
      cases[current].querySelector("h2").focus({ preventScroll: true });
      cases[current].scrollIntoView({ block: "start" });
    }
  };
  const judge = (word) => {
    said[current].judgement = said[current].judgement === word ? "" : word;
    keep();
    tell();
  };
  const showNext = () => {
    const after = [...said.keys()].map((step) => (current + 1 + step) % said.length);
    const open = after.find((number) => !said[number].judgement);
    if (open !== undefined) show(open);
  };
  const outline = () => document.body.classList.toggle("bare");

  // The same file as the one beside this page, but for what was ticked.
  const asText = (cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
  const line = (cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",") + "\r\n";
  const text = () => {
    const rows = sheet.rows.map((row, number) => {
      const cells = [...row];
      cells[place("judgement")] = said[number].judgement;
      cells[place("note")] = asText(said[number].note);
      return line(cells);
    });
    return "\ufeff" + line(sheet.columns) + rows.join("");
  };
  const download = () => {
    const url = URL.createObjectURL(new Blob([text()], { type: "text/csv;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = sheet.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    changed = false;
  };

  for (const picture of document.querySelectorAll("svg")) {
    picture.style.setProperty("--ratio", picture.viewBox.baseVal.width / picture.viewBox.baseVal.height);
  }
  cases.forEach((each, number) => {
    for (const button of each.querySelectorAll("[data-judgement]")) {
      button.addEventListener("click", () => judge(button.dataset.judgement));
    }
    for (const button of each.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => show(current + Number(button.dataset.go)));
    }
    const why = each.querySelector(".why");
    why.addEventListener("input", () => {
      said[number].note = why.value;
      keep();
      tell();
    });
    why.addEventListener("keydown", (event) => {
      if (event.key === "Escape" || event.key === "Enter") why.blur();
    });
  });
  document.getElementById("download").addEventListener("click", download);
  const keys = {
    v: () => judge("valid"),
    i: () => judge("invalid"),
    u: () => judge("unsure"),
    j: () => show(current + 1),
    k: () => show(current - 1),
    g: showNext,
    n: () => cases[current].querySelector(".why").focus(),
    o: outline,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
    const act = Object.hasOwn(keys, event.key.toLowerCase()) && keys[event.key.toLowerCase()];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  addEventListener("beforeunload", (event) => {
    if (changed && !keeps) event.preventDefault();
  });

  load();
  const judged = said.filter((each) => each.judgement).length;
  document.getElementById("help").open = judged === 0;
  const first = said.findIndex((each) => !each.judgement);
  show(first < 0 ? 0 : first, false);
})();
