//! Owns Debian packages unpacked into folders of their own: nothing is installed, nothing outside the cache is touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The Debian releases that kernels come from, and the suite that has a QEMU with vfio-user.
const SUITES: [&str; 4] = ["bullseye", "bookworm", "trixie", "trixie-backports"];
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// A private apt: its own sources, lists and idea of what is installed, which is nothing.
pub struct Packages {
    cache: PathBuf,
}

impl Packages {
    /// The cache: `$XDG_CACHE_HOME/s2iod`, or `~/.cache/s2iod`.
    pub fn new() -> Result<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        let cache =
            base.context("neither XDG_CACHE_HOME nor HOME is set: there is no place for a cache")?.join("s2iod");
        fs::create_dir_all(&cache).with_context(|| format!("{}", cache.display()))?;
        Ok(Self { cache })
    }

    /// A folder with `packages` of `suite` and all they depend on, unpacked; from the cache if it is there.
    pub fn closure(&self, name: &str, suite: &str, packages: &[&str]) -> Result<PathBuf> {
        self.folder(name, |to| {
            let archives = self.prepare()?.join("cache/archives");
            say(&format!("fetching {} and what they need", packages.join(", ")));
            let options = ["-y", "-d", "--no-install-recommends", "-t", suite, "install"];
            run(self.apt("apt-get").args(options).args(packages))?;
            for entry in fs::read_dir(&archives)? {
                let archive = entry?.path();
                if archive.extension().is_some_and(|extension| extension == "deb") {
                    run(Command::new("dpkg-deb").arg("-x").args([&archive, to]))?;
                }
            }
            run(self.apt("apt-get").arg("clean"))
        })
    }

    /// A folder with those files of the one package that `package` of `suite` stands for which match `patterns`.
    pub fn part(&self, name: &str, suite: &str, package: &str, patterns: &[&str]) -> Result<PathBuf> {
        self.folder(name, |to| {
            self.prepare()?;
            let release = format!("APT::Default-Release={suite}");
            let depends = output(self.apt("apt-cache").args(["-o", &release, "depends", "--important", package]))?;
            let real = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
            let real = real.with_context(|| format!("{package} of {suite} stands for no package"))?;
            say(&format!("fetching {real}"));
            run(self.apt("apt-get").args(["-o", &release, "download", real]).current_dir(to))?;
            let archive = fs::read_dir(to)?.next().context("nothing was fetched")??.path();
            let mut unpack =
                Command::new("dpkg-deb").arg("--fsys-tarfile").arg(&archive).stdout(Stdio::piped()).spawn()?;
            let stream = unpack.stdout.take().context("no output")?;
            let tar = ["-x", "--wildcards", "--warning=no-timestamp", "-C"];
            run(Command::new("tar").args(tar).arg(to).args(patterns).stdin(stream))?;
            ensure!(unpack.wait()?.success(), "{}: cannot be unpacked", archive.display());
            Ok(fs::remove_file(archive)?)
        })
    }

    /// The folder `name` of the cache; if it is not there, `fill` fills it first. It appears only when it is whole.
    fn folder(&self, name: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let folder = self.cache.join(name);
        if folder.is_dir() {
            return Ok(folder);
        }
        let partial = self.cache.join(format!("{name}.partial"));
        if partial.exists() {
            fs::remove_dir_all(&partial)?;
        }
        fs::create_dir(&partial)?;
        fill(&partial)?;
        fs::rename(&partial, &folder)?;
        Ok(folder)
    }

    /// Writes the private configuration, brings its lists up to date, and returns its folder.
    fn prepare(&self) -> Result<PathBuf> {
        let apt = self.cache.join("apt");
        for folder in ["state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"] {
            fs::create_dir_all(apt.join(folder))?;
        }
        let mirror = mirror()?;
        let source = |suite: &&str| format!("deb [signed-by={KEYRING}] {mirror} {suite} main\n");
        fs::write(apt.join("etc/sources.list"), SUITES.iter().map(source).collect::<String>())?;
        fs::write(apt.join("status"), "")?;
        say("reading the lists of packages");
        run(self.apt("apt-get").arg("update")).context("the package archive cannot be read (is there a network?)")?;
        Ok(apt)
    }

    fn apt(&self, program: &str) -> Command {
        let apt = self.cache.join("apt");
        let mut command = Command::new(program);
        for (key, value) in [
            ("Dir::State", apt.join("state")),
            ("Dir::State::status", apt.join("status")),
            ("Dir::Cache", apt.join("cache")),
            ("Dir::Etc", apt.join("etc")),
        ] {
            command.arg("-o").arg(format!("{key}={}", value.display()));
        }
        command.args(["-o", "Acquire::Check-Valid-Until=false", "-o", "APT::Architecture=amd64"]);
        command.args(["-o", "APT::Sandbox::User=root", "-o", "Debug::NoLocking=1"]);
        command
    }
}

/// The mirror of Debian's archive that this machine uses.
fn mirror() -> Result<String> {
    let etc = Path::new("/etc/apt");
    let mut files = vec![etc.join("sources.list")];
    if let Ok(entries) = fs::read_dir(etc.join("sources.list.d")) {
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let mirror = texts.flat_map(|text| text.lines().filter_map(archive).map(str::to_owned).collect::<Vec<_>>()).next();
    mirror.context("apt of this machine knows no Debian archive (/etc/apt/sources.list*): packages come from there")
}

/// The archive that a line of apt's sources names, in either format.
fn archive(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.strip_prefix("URIs:").or_else(|| line.strip_prefix("deb "))?;
    rest.split_whitespace().find(|word| word.trim_end_matches('/').ends_with("/debian") && word.contains("://"))
}

/// Tells people what takes its time.
pub fn say(what: &str) {
    eprintln!("lab: {what} ...");
}

/// Runs a program to its end; what it printed is shown only if it failed.
pub fn run(command: &mut Command) -> Result<()> {
    output(command).map(drop)
}

/// Runs a program to its end and returns what it printed.
pub fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} cannot be run"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().take(3).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>();
        bail!("{program} failed: {}", last.join("; "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::archive;

    #[test]
    fn the_archive_is_found_in_both_formats() {
        assert_eq!(archive("URIs: http://example.org/debian"), Some("http://example.org/debian"));
        assert_eq!(
            archive("deb [arch=amd64] https://example.org/debian/ trixie main"),
            Some("https://example.org/debian/")
        );
    }

    #[test]
    fn other_archives_are_passed_over() {
        for line in [
            "",
            "# deb http://example.org/debian trixie main",
            "URIs: http://example.org/debian-security",
            "Suites: trixie",
        ] {
            assert_eq!(archive(line), None, "{line}");
        }
    }
}
