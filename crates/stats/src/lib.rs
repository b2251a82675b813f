//! pure numbers: quantiles, intervals, modes, knees, paired tests.
