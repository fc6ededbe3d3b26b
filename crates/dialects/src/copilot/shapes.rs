//! Arguments of Copilot's tools that don't correspond to ours one to one (dialects.md, 3.3).

use serde_json::{Value, json};

use crate::foreign::tools::Shape;

/// The lines that `view` shows: the first and the last one, counted from 1, `-1` for the end.
pub(super) const LINES: Shape = Shape {
    ours: &["offset", "limit", "start_line", "end_line"],
    theirs: &["view_range"],
    speak: |ours, theirs| {
        let number = |name: &str| ours.get(name).and_then(Value::as_u64);
        let from_offset = number("offset").map(|it| it.saturating_add(1));
        let first = number("start_line").or(from_offset);
        let until = |limit: u64| first.unwrap_or(1).saturating_add(limit).saturating_sub(1);
        let last = number("end_line").or_else(|| number("limit").map(until));
        if first.is_none() && last.is_none() {
            return;
        }
        let last = last.map_or_else(|| json!(-1), Value::from);
        theirs.insert("view_range".to_owned(), json!([first.unwrap_or(1), last]));
    },
    understand: |theirs, ours| {
        let Some(range) = theirs.get("view_range").filter(|it| !it.is_null()) else {
            return;
        };
        let number = |at: usize| range.get(at).and_then(Value::as_i64);
        let (Some(first), Some(last)) = (number(0), number(1)) else {
            // The tool itself reports what is wrong with it.
            ours.insert("view_range".to_owned(), range.clone());
            return;
        };
        if first > 1 {
            ours.insert("offset".to_owned(), Value::from(first - 1));
        }
        if last >= 0 {
            let lines = last.saturating_add(1).saturating_sub(first.max(1)).max(0);
            ours.insert("limit".to_owned(), Value::from(lines));
        }
    },
};

/// What is asked, and the answers to choose from. Several questions are in one text, so that no
/// script that looks for a word in it overlooks one.
pub(super) const QUESTION: Shape = Shape {
    ours: &["questions"],
    theirs: &["question", "choices"],
    speak: |ours, theirs| {
        let questions = ours.get("questions").and_then(Value::as_array);
        let Some(questions) = questions else {
            theirs.extend(
                ours.get("questions")
                    .map(|it| ("questions".to_owned(), it.clone())),
            );
            return;
        };
        let text =
            |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let asked: Vec<String> = questions
            .iter()
            .filter_map(|it| text(it, "question"))
            .collect();
        let options = questions
            .iter()
            .filter_map(|it| it.get("options")?.as_array());
        let choices: Vec<String> = options
            .flatten()
            .filter_map(|it| text(it, "label"))
            .collect();
        theirs.insert("question".to_owned(), Value::from(asked.join("\n")));
        if !choices.is_empty() {
            theirs.insert("choices".to_owned(), Value::from(choices));
        }
    },
    understand: |theirs, ours| {
        let Some(question) = theirs.get("question") else {
            return;
        };
        let mut asked = json!({"question": question, "header": "Question", "type": "text"});
        let choices = theirs.get("choices").and_then(Value::as_array);
        if let Some(choices) = choices.filter(|it| !it.is_empty()) {
            let options = choices
                .iter()
                .map(|it| json!({"label": it, "description": ""}));
            asked["type"] = Value::from("choice");
            asked["options"] = options.collect();
        }
        ours.insert("questions".to_owned(), json!([asked]));
    },
};

/// The marks of tasks, and our words for their state.
const MARKS: [(&str, &str); 4] = [
    ("- [ ] ", "pending"),
    ("- [~] ", "in_progress"),
    ("- [x] ", "completed"),
    ("- [-] ", "cancelled"),
];

/// The tasks, as a list in Markdown.
pub(super) const TASKS: Shape = Shape {
    ours: &["todos"],
    theirs: &["todos"],
    speak: |ours, theirs| {
        let Some(todos) = ours.get("todos") else {
            return;
        };
        let line = |task: &Value| {
            let status = task.get("status").and_then(Value::as_str);
            let known = MARKS.iter().find(|(_, word)| Some(*word) == status);
            let (mark, _) = known.unwrap_or(&MARKS[0]);
            let text = task.get("description").and_then(Value::as_str);
            format!("{mark}{}", text.unwrap_or_default())
        };
        let list = todos.as_array().map(|all| {
            let lines: Vec<String> = all.iter().map(line).collect();
            Value::from(lines.join("\n"))
        });
        theirs.insert("todos".to_owned(), list.unwrap_or_else(|| todos.clone()));
    },
    understand: |theirs, ours| {
        let Some(todos) = theirs.get("todos") else {
            return;
        };
        let task = |line: &str| {
            let line = line.trim();
            let marked = MARKS.iter().find_map(|(mark, status)| {
                let text = line.strip_prefix(mark)?;
                Some(json!({"description": text, "status": status}))
            });
            marked.unwrap_or_else(|| json!({"description": line, "status": "pending"}))
        };
        let lines = todos.as_str().map(|text| {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.map(task).collect()
        });
        ours.insert("todos".to_owned(), lines.unwrap_or_else(|| todos.clone()));
    },
};

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    /// FD-10, FD-32: lines, questions and tasks are reported in Copilot's words, and understood in
    /// them.
    #[test]
    fn what_does_not_correspond_one_by_one_goes_there_and_back() {
        for (shape, ours, theirs) in [
            (
                &LINES,
                json!({"offset": 4, "limit": 6}),
                json!({"view_range": [5, 10]}),
            ),
            (&LINES, json!({"offset": 4}), json!({"view_range": [5, -1]})),
            (&LINES, json!({"limit": 6}), json!({"view_range": [1, 6]})),
            (&LINES, json!({}), json!({})),
            (
                &QUESTION,
                json!({"questions": [{
                    "question": "Which?", "header": "Question", "type": "choice",
                    "options": [{"label": "a", "description": ""}, {"label": "b", "description": ""}]
                }]}),
                json!({"question": "Which?", "choices": ["a", "b"]}),
            ),
            (
                &TASKS,
                json!({"todos": [
                    {"description": "one", "status": "completed"},
                    {"description": "two", "status": "in_progress"}
                ]}),
                json!({"todos": "- [x] one\n- [~] two"}),
            ),
        ] {
            let mut spoken = Map::new();
            (shape.speak)(&object(&ours), &mut spoken);
            assert_eq!(Value::Object(spoken), theirs);
            let mut understood = Map::new();
            (shape.understand)(&object(&theirs), &mut understood);
            assert_eq!(Value::Object(understood), ours);
        }
        let mut spoken = Map::new();
        (LINES.speak)(
            &object(&json!({"start_line": 3, "end_line": 9})),
            &mut spoken,
        );
        assert_eq!(spoken["view_range"], json!([3, 9]));
    }
}
