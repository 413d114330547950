//! A few command-line options.

/// Arguments that are taken out one after the other.
pub struct Args(Vec<String>);

impl Args {
    pub fn new(words: Vec<String>) -> Args {
        Args(words)
    }

    /// Takes a switch such as `--verbose`.
    pub fn switch(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|w| w != name);
        self.0.len() < before
    }

    /// Takes every `--name VALUE` and `--name=VALUE`.
    pub fn values(&mut self, name: &str) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.0.len() {
            if self.0[at] == name {
                if at + 1 == self.0.len() {
                    return Err(format!("{name} needs a value"));
                }
                found.push(self.0.remove(at + 1));
                self.0.remove(at);
            } else if let Some(value) = self.0[at].strip_prefix(name).and_then(|v| v.strip_prefix('=')) {
                found.push(value.to_owned());
                self.0.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(found)
    }

    /// Takes `--name 1,2`: numbers, separated by commas.
    pub fn numbers(&mut self, name: &str) -> Result<Option<Vec<u32>>, String> {
        let values = self.values(name)?;
        if values.is_empty() {
            return Ok(None);
        }
        let number = |word: &str| word.parse().map_err(|_| format!("{name}: {word:?} is not a number"));
        values.iter().flat_map(|v| v.split(',')).map(number).collect::<Result<_, _>>().map(Some)
    }

    /// What has not been taken, when it contains no options.
    pub fn words(self) -> Result<Vec<String>, String> {
        match self.0.iter().find(|w| w.starts_with('-')) {
            Some(option) => Err(format!("unknown option {option}")),
            None => Ok(self.0),
        }
    }

    /// Nothing may be left.
    pub fn finish(self) -> Result<(), String> {
        match self.0.first() {
            Some(word) => Err(format!("unknown argument {word:?}")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    #[test]
    fn takes_options_in_any_order() {
        let words = ["a", "--n=1,2", "--v", "--f", "x", "--f=y"].map(String::from).to_vec();
        let mut args = Args::new(words);
        assert!(args.switch("--v"));
        assert!(!args.switch("--v"));
        assert_eq!(args.values("--f").unwrap(), ["x", "y"]);
        assert_eq!(args.numbers("--n").unwrap(), Some(vec![1, 2]));
        assert_eq!(args.words().unwrap(), ["a"]);
        assert!(Args::new(vec!["--f".into()]).values("--f").is_err());
        assert!(Args::new(vec!["--g".into()]).words().is_err());
    }
}
