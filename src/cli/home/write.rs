//! Lets users write a scenario of their own: opens it in their editor and checks it afterwards.
//!
//! Nothing starts automatically: a scenario without errors is selected on the start screen, and Enter starts it.

use crate::cli::context::Context;
use crate::cli::play::next::Home;
use crate::cli::runtime::block_on;
use crate::cli::source::{self, ENDING, TEMPLATE};
use crate::own_file::OwnFile;
use crate::settings::make_private;
use crate::spawn::foreground;
use crate::{policy, scenario};
use std::io::Write;
use std::path::PathBuf;

/// Default name of a new scenario.
const NEW: &str = "my-scenario";

/// Opens a scenario in the user's editor, or a new one without a name; returns the start screen with the result.
pub fn write(name: Option<String>, home: &Home, context: &Context) -> Home {
    let home = Home { notice: None, scenario: None, writing: None, ..home.clone() };
    let saying = |notice: String| Home { notice: Some(notice), ..home.clone() };
    let Some(editor) = context.environment.editor() else {
        return saying("no editor is set; set EDITOR, as in EDITOR=nano".into());
    };
    let name = name.unwrap_or_else(|| unused(context));
    let path = match begun(&name, context) {
        Ok(path) => path,
        Err(why) => return saying(why),
    };
    let ended = block_on(async { Ok(foreground(editor, &path).await) });
    let shown = path.display();
    let failed = match ended {
        Err(failure) => Some(failure.message),
        Ok(Err(e)) => Some(format!("{editor}: {e}")),
        Ok(Ok(status)) if !status.success() => Some(format!("{editor} failed ({status})")),
        Ok(Ok(_)) => None,
    };
    if let Some(why) = failed {
        return Home { writing: Some(name), ..saying(format!("{why}; the file is {shown}")) };
    }
    let checked =
        source::find(&context.paths, &name).map_err(|failure| failure.message).and_then(|found| {
            scenario::load(&found.source, &policy::rows()).map_err(|faults| faults.to_string())
        });
    match checked {
        Ok(_) => Home {
            scenario: Some(name.clone()),
            ..saying(format!("{name} has no errors; press enter to start it ({shown})"))
        },
        Err(faults) => Home { writing: Some(name), ..saying(faults) },
    }
}

/// Returns an unused scenario name.
fn unused(context: &Context) -> String {
    let taken = source::own_names(&context.paths);
    let numbered = (2..).map(|n: u32| format!("{NEW}-{n}"));
    let mut names = std::iter::once(NEW.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or_default()
}

/// Writes the commented template, unless the file exists.
fn begun(name: &str, context: &Context) -> Result<PathBuf, String> {
    let folder = context.paths.scenarios();
    make_private(&folder).map_err(|e| e.to_string())?;
    let path = folder.join(format!("{name}{ENDING}"));
    if !path.exists() {
        let file = OwnFile::create_new(&path);
        file.and_then(|mut file| file.write_all(TEMPLATE.as_bytes()))
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(path)
}
