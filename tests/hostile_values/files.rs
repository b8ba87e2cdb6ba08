//! Hostile files for every place that takes a path from somebody else.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Makes the files in a folder; `victim` is a file outside that none of them may change or show.
pub fn files(folder: &Path, victim: &Path) -> Vec<(&'static str, PathBuf)> {
    let at = |name: &str| folder.join(name);
    let fifo = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe.toml"), fifo, mode, 0).unwrap();
    symlink("/dev/zero", at("zero.toml")).unwrap();
    symlink(victim, at("link.toml")).unwrap();
    symlink(at("loop.toml"), at("loop.toml")).unwrap();
    symlink(at("absent"), at("dangling.toml")).unwrap();
    fs::create_dir(at("folder.toml")).unwrap();
    File::create(at("sparse.toml")).unwrap().set_len(1 << 40).unwrap();
    fs::write(at("endless.toml"), vec![b'x'; 8 << 20]).unwrap();
    fs::write(at("empty.toml"), "").unwrap();
    fs::write(at("binary.toml"), [0, 159, 146, 150, 0, 255, 10, 0]).unwrap();
    fs::write(at("deep.toml"), "[".repeat(100_000)).unwrap();
    fs::write(at("many.toml"), "[[participant]]\nid = \"a\"\n".repeat(20_000)).unwrap();
    fs::write(at("acts.toml"), "\u{1b}]0;x\u{7}\u{202e}\n".repeat(1000)).unwrap();
    fs::write(at("locked.toml"), format!("{{\"a\":{}1}}\n", "[1,".repeat(50_000))).unwrap();
    let mut all = vec![
        ("a device", device(folder, "zero", 1, 5)),
        ("a terminal", device(folder, "tty", 5, 0)),
        ("the environment", PathBuf::from("/proc/self/environ")),
    ];
    let mut made: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    made.retain(|path| all.iter().all(|(_, known)| known != path));
    made.sort();
    all.extend(made.into_iter().map(|path| ("a file", path)));
    all
}

/// Returns a device node: one of the folder's own if the user may make it, since root could harm that of the machine.
fn device(folder: &Path, name: &str, major: u32, minor: u32) -> PathBuf {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let own = folder.join(name);
    let mode = Mode::RUSR | Mode::WUSR;
    match mknodat(CWD, &own, FileType::CharacterDevice, mode, makedev(major, minor)) {
        Ok(()) => own,
        Err(_) => Path::new("/dev").join(name),
    }
}
